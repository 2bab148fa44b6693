"""Learning example by example: the perceptron, gradient descent, an expert's choices; each with its record."""
