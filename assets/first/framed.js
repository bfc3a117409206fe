/* A notebook's cell waits to hear that its frame has come: nothing else tells it that a browser refused the page. */
if (parent !== window) parent.postMessage("headlight", "*");
