#pragma once
#include <stddef.h>
#include <stdint.h>

// libFuzzer's way in for programs with a main of their own; it ends the process itself.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));
