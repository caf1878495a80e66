// Package plantest has nests and plans for the tests of package plan and of those below it:
// small nests of given distances, random nests with their iterations found by enumeration, and
// random options and plans of them. Programs never import it.
package plantest
