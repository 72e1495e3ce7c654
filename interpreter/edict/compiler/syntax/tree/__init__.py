"""The tree of a rule file, with places and nothing derived.

Nodes compare by identity, so later passes store what they learn (the meaning of a name, the type of an expression) in
tables beside the tree, keyed by node.

Annotations at a field tell its role (`Changed[Expr]`, `Binds[Name]`; see `roles`) and what a name may refer to.

Fields given by keyword only (`wrapped`, `said`, `joints`, `lines` and others) record the spelling where the language
has several for the same. No pass uses them but the printer.
"""

from edict.compiler.syntax.tree.abilities import *  # noqa: F403
from edict.compiler.syntax.tree.definitions import *  # noqa: F403
from edict.compiler.syntax.tree.nodes import *  # noqa: F403
from edict.compiler.syntax.tree.short_steps import *  # noqa: F403
from edict.compiler.syntax.tree.steps import *  # noqa: F403
from edict.compiler.syntax.tree.values import *  # noqa: F403
