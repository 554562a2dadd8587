// SPDX-License-Identifier: GPL-2.0-or-later
// C++ with deep chains of inlined functions: the standard library does the rest.
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace
{
struct shape {
	virtual ~shape() = default;
	virtual int area(int side) const = 0;
};

struct square : shape {
	int area(int side) const override
	{
		return side * side;
	}
};

template <typename T> inline T doubled(T value)
{
	return value + value;
}
} // namespace

int total(std::vector<int> &values)
{
	int sum = 0;

	std::sort(values.begin(), values.end(), [](int a, int b) { return a % 7 < b % 7; });
	for (int value : values)
		sum += doubled(value);
	return sum;
}

int main(int argc, char **)
{
	std::map<std::string, int> seen;
	std::vector<int> values;
	square shape;

	for (int i = 0; i < argc * 100; i++) {
		values.push_back(i * 7919 % 13);
		seen[std::to_string(i)]++;
	}
	std::printf("%d %d %zu\n", total(values), shape.area(argc), seen.size());
}
