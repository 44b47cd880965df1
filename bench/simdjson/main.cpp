// Reads a JSON document in memory with simdjson's On-Demand API, all keys and all values, and prints the CPU time of
// each run as a line of a Go benchmark with the given name.

#include <simdjson.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

using namespace simdjson;

namespace {

// A sum keeps the compiler from leaving out what was read.
struct sum {
	uint64_t bytes = 0;
	double numbers = 0;
};

template <typename T> void read(T value, sum &s) {
	switch (ondemand::json_type(value.type())) {
	case ondemand::json_type::object:
		for (auto field : ondemand::object(value.get_object())) {
			s.bytes += std::string_view(field.unescaped_key()).size();
			read(ondemand::value(field.value()), s);
		}
		break;
	case ondemand::json_type::array:
		for (auto element : ondemand::array(value.get_array())) {
			read(ondemand::value(element.value()), s);
		}
		break;
	case ondemand::json_type::string:
		s.bytes += std::string_view(value.get_string()).size();
		break;
	case ondemand::json_type::number:
		s.numbers += double(value.get_double());
		break;
	case ondemand::json_type::boolean:
		s.numbers += bool(value.get_bool());
		break;
	default:
		if (!bool(value.is_null())) {
			throw std::runtime_error("a value of an unknown type");
		}
	}
}

int64_t cpu_time() {
	timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return int64_t(t.tv_sec) * 1000000000 + t.tv_nsec;
}

} // namespace

int main(int argc, char **argv) {
	if (argc != 4) {
		std::fprintf(stderr, "usage: %s NAME FILE RUNS\n", argv[0]);
		return 2;
	}
	try {
		padded_string text = padded_string::load(argv[2]);
		ondemand::parser parser;
		for (int runs = std::atoi(argv[3]); runs > 0; runs--) {
			int64_t start = cpu_time();
			sum s;
			ondemand::document doc = parser.iterate(text);
			read<ondemand::document &>(doc, s);
			if (doc.current_location().error() != OUT_OF_BOUNDS) {
				throw std::runtime_error("text after the document");
			}
			int64_t elapsed = cpu_time() - start;
			if (s.bytes == 0) {
				throw std::runtime_error("no texts");
			}
			std::printf("Benchmark%s 1 %lld ns/op %.2f MB/s\n", argv[1], static_cast<long long>(elapsed),
						1e3 * double(text.size()) / double(elapsed));
		}
	} catch (const std::exception &e) {
		std::fprintf(stderr, "%s: %s: %s\n", argv[0], argv[2], e.what());
		return 1;
	}
}
