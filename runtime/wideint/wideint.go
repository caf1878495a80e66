// Package wideint is imported by whoever needs an int of 64 bits, for the coordinates of
// iterations and the sizes of arrays. Where int has 32 bits it does not compile, and says
// so in place of the many constants that do not fit.
package wideint
