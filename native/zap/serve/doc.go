// Package serve holds what all servers of the experiments share, whatever they
// speak: options, the life of a process from its listener to its report, the
// readings of a measured window, and the handlers behind the routes, which know
// no protocol and so answer the same bytes on all of them.
package serve
