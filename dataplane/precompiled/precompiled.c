/* A library is made of something: this one is there for its precompiled header. */
typedef int sextant_precompiled;
