#pragma once
#error "nestbed's executor does not support CUB"
