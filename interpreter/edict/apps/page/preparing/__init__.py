"""What is done once, in Node, while a page is made."""
