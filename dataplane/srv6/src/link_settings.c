#include "link_settings.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static int write_setting(const char *family, const char *name, const char *what, const char *value)
{
	char path[128];
	int file, result;

	(void)snprintf(path, sizeof(path), "/proc/sys/net/%s/conf/%s/%s", family, name, what);
	file = open(path, O_WRONLY | O_CLOEXEC);
	if (file < 0)
		return errno == ENOENT ? 0 : -errno;
	result = write(file, value, strlen(value)) < 0 ? -errno : 0;
	(void)close(file);
	return result;
}

/* Frames that hold several packets have no room for the headers of each. */
static int offloads_off(const char *name)
{
	static const uint32_t commands[] = {ETHTOOL_STXCSUM, ETHTOOL_STSO, ETHTOOL_SGSO, ETHTOOL_SGRO};
	int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), result = any < 0 ? -errno : 0;

	for (size_t i = 0; result == 0 && i < sizeof(commands) / sizeof(commands[0]); i++) {
		struct ethtool_value off = {.cmd = commands[i]};
		struct ifreq request = {.ifr_data = (char *)&off};

		(void)snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
		if (ioctl(any, SIOCETHTOOL, &request) < 0 && errno != EOPNOTSUPP)
			result = -errno;
	}
	if (any >= 0)
		(void)close(any);
	return result;
}

int link_be_silent(const char *name)
{
	int result = write_setting("ipv6", name, "disable_ipv6", "1");

	if (result == 0)
		result = write_setting("ipv4", name, "forwarding", "0");
	if (result == 0)
		result = write_setting("ipv4", name, "arp_ignore", "8"); /* answers nobody */
	return result == 0 ? offloads_off(name) : result;
}
