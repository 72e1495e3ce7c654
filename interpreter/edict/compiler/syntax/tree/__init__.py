"""The tree of a rule file: what was written, with its places, and nothing else.

Nodes compare by identity, so later passes keep what they learn (what a name means, of which
type an expression is) in tables beside the tree, keyed by node.

Beside its type a field says what it is for (`Changed[Expr]`, `Binds[Name]`: see `roles`), and a name what it may mean.

Fields given by keyword only (`wrapped`, `said`, `joints`, `lines` ...) tell how something was spelt where the
language has several ways of saying the same. They matter to no pass; `printing` writes them as they were.
"""

from edict.compiler.syntax.tree.abilities import *  # noqa: F403
from edict.compiler.syntax.tree.definitions import *  # noqa: F403
from edict.compiler.syntax.tree.nodes import *  # noqa: F403
from edict.compiler.syntax.tree.short_steps import *  # noqa: F403
from edict.compiler.syntax.tree.steps import *  # noqa: F403
from edict.compiler.syntax.tree.values import *  # noqa: F403
