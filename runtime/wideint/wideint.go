// Package wideint refuses platforms whose int has 32 bits. Packages that keep the
// coordinates of iterations or the sizes of arrays in an int import it. Where int is too
// small it does not compile, and the error says so, instead of naming the many constants that
// do not fit.
package wideint
