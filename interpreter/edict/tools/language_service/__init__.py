"""What an editor asks about rules: a workspace of folders with unsaved texts laid over the files, and its answers.

    space = Workspace([folder])
    space.lay(file, text)                 an unsaved text, which counts in place of what the file holds
    diagnostics.problems(space, file)     what `kingsburg check` would say of it
    cursor_help.hover(space, file, place) and so on: a file a kind of question, plain values (`answer_types`) as answers

Places count lines and columns from 1, in characters. Nothing here knows an editor or a protocol.
"""
