"""One figure a module: `drawing` returns its traces and layout, and a function of the figure's name draws them."""
