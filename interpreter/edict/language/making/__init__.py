"""What Lark recognised, built into nodes of `tree`, one method a grammar rule."""
