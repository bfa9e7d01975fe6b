/* What an end of a pair must not do by itself: speak IPv6, forward, put packets together. */
#ifndef SEXTANT_SRV6_LINK_SETTINGS_H
#define SEXTANT_SRV6_LINK_SETTINGS_H

/* 0 or a negative errno. What this kernel does not have at all is as good as off. */
int link_be_silent(const char *name);

#endif
