// What the book adds to mdBook's scripts.
