#pragma once
// Nothing to call: the library is named in LD_PRELOAD. DiskRecorder.c says what it does.
