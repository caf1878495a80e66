// Package runtime is the folder of everything that an emitted program runs on:
// arrays, faces, executors, transports, files, and the command line of a main.
// Emitted code imports the packages below this one, never this one.
//
// What the package itself offers are the sources of those packages, for
// programs that carry a copy of the runtime instead of importing it.
package runtime
