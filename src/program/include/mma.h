#pragma once
#error "nestbed's executor does not support tensor cores (wmma)"
