"""Preparation of a page's files, run once in Node.js while the page is built."""
