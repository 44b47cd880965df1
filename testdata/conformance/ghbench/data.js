window.BENCHMARK_DATA = {
  "lastUpdate": 1764086400000,
  "repoUrl": "https://github.com/acme/rover",
  "entries": {
    "Go Benchmark": [
      {
        "commit": {
          "author": {"email": "ann@acme.example", "name": "Ann", "username": "ann"},
          "committer": {"email": "ann@acme.example", "name": "Ann", "username": "ann"},
          "distinct": true,
          "id": "3a1f09c6",
          "message": "wheels: turn in place\n\nSlowly.",
          "timestamp": "2025-11-24T17:00:00+01:00",
          "tree_id": "9d41",
          "url": "https://github.com/acme/rover/commit/3a1f09c6"
        },
        "date": 1764000000000,
        "tool": "go",
        "benches": [
          {"name": "BenchmarkDrive", "value": 325, "unit": "ns/op", "extra": "5000000 times\n8 procs"},
          {"name": "BenchmarkTurn", "value": 41, "unit": "ns/op\t     1.5 drop_%\t 120 MB/s", "extra": "300 times"}
        ]
      },
      {
        "commit": {"id": "7cd9055e", "message": "wheels: grease", "timestamp": "2025-11-24T16:00:00Z",
          "url": "https://github.com/acme/rover/commit/7cd9055e"},
        "date": 1764086400000,
        "tool": "go",
        "benches": [
          {"name": "BenchmarkTurn", "value": 40, "unit": "ns/op\t     1.25 drop_%\t 125 MB/s", "extra": "310 times"},
          {"name": "BenchmarkTurn - ns/op", "value": 40, "unit": "ns/op", "extra": "310 times"},
          {"name": "BenchmarkTurn - drop_%", "value": 1.25, "unit": "drop_%", "extra": "310 times"},
          {"name": "BenchmarkTurn - MB/s", "value": 125, "unit": "MB/s", "extra": "310 times"}
        ]
      },
      {
        "commit": {"id": "7cd9055e", "url": "https://github.com/acme/rover/commit/7cd9055e"},
        "date": 1764086400500,
        "tool": "go",
        "benches": [{"name": "BenchmarkTurn", "value": "39.5", "unit": "ns/op"}]
      }
    ],
    "Rust Benchmark": [
      {
        "benches": [{"name": "climb", "value": 1234567, "range": "± 1200", "unit": "ns/iter"}],
        "tool": "cargo",
        "date": 1764086400000,
        "commit": {"id": "7cd9055e", "url": "https://github.com/acme/rover/commit/7cd9055e"}
      }
    ]
  }
};
