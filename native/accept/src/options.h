/* `--name value` options of the programs here. A mistake is one sentence on standard error and exit code 2. */
#ifndef ACCEPT_OPTIONS_H
#define ACCEPT_OPTIONS_H

#include <stdint.h>
#include <sys/socket.h>

/* One option: a number within bounds or, when `text` is not NULL, any text. */
struct option_of_program {
    const char *name;
    uint64_t *number;
    uint64_t least, most;
    const char **text;
};

/* Reads all arguments into the options; ends with one whose name is NULL. Exits with 2 on an unknown option, a missing
 * value or one out of bounds. */
void options_read(int count, char **arguments, const struct option_of_program *options);

/* A numeric IPv4 or IPv6 address and a port. Exits with 2 when the text is no address. */
socklen_t options_address(const char *text, uint16_t port, struct sockaddr_storage *address);

#endif
