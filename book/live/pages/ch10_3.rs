//! Section 10.3: masked softmax and scaling, in the page.
