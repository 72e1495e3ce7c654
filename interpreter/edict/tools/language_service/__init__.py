"""The language service: a workspace of folders with unsaved texts, and answers to an editor's questions about it.

    space = Workspace([folder])
    space.set_text(file, text)            an unsaved text, used in place of the file's content
    diagnostics.list_problems(space, file)     the findings of `kingsburg check`
    cursor_help.hover(space, file, position)   and so on: a module per kind of question

Answers are plain values (`answer_types`). Positions count lines and columns from 1, in characters. Nothing here
depends on an editor or a protocol.
"""
