#include "options.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct option_of_program *find(const struct option_of_program *options, const char *argument) {
    if (strncmp(argument, "--", 2) != 0)
        return NULL;
    for (; options->name != NULL; options++)
        if (strcmp(argument + 2, options->name) == 0)
            return options;
    return NULL;
}

static void read_number(const char *program, const struct option_of_program *option, const char *value) {
    char *end;
    errno = 0;
    uint64_t number = strtoull(value, &end, 10);
    /* strtoull takes a minus sign and turns it around. */
    if (errno != 0 || end == value || *end != '\0' || value[0] < '0' || value[0] > '9' || number < option->least ||
        number > option->most) {
        fprintf(stderr, "%s: --%s must be a whole number from %" PRIu64 " to %" PRIu64 ", not '%s'\n", program,
                option->name, option->least, option->most, value);
        exit(2);
    }
    *option->number = number;
}

void options_read(int count, char **arguments, const struct option_of_program *options) {
    const char *program = strrchr(arguments[0], '/') ? strrchr(arguments[0], '/') + 1 : arguments[0];
    for (int i = 1; i < count; i += 2) {
        const struct option_of_program *option = find(options, arguments[i]);
        if (option == NULL) {
            fprintf(stderr, "%s: unknown option '%s'; it takes", program, arguments[i]);
            for (const struct option_of_program *known = options; known->name != NULL; known++)
                fprintf(stderr, " --%s", known->name);
            fputc('\n', stderr);
            exit(2);
        }
        if (i + 1 == count) {
            fprintf(stderr, "%s: --%s needs a value\n", program, option->name);
            exit(2);
        }
        if (option->text != NULL)
            *option->text = arguments[i + 1];
        else
            read_number(program, option, arguments[i + 1]);
    }
}

socklen_t options_address(const char *text, uint16_t port, struct sockaddr_storage *address) {
    memset(address, 0, sizeof *address);
    struct sockaddr_in *four = (struct sockaddr_in *)address;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)address;
    if (inet_pton(AF_INET, text, &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = htons(port);
        return sizeof *four;
    }
    if (inet_pton(AF_INET6, text, &six->sin6_addr) == 1) {
        six->sin6_family = AF_INET6;
        six->sin6_port = htons(port);
        return sizeof *six;
    }
    fprintf(stderr, "'%s' is not a numeric IPv4 or IPv6 address\n", text);
    exit(2);
}
