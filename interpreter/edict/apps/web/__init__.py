"""Tables in the browser: anybody with the link of a seat plays it, from any device."""
