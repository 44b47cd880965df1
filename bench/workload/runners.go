package workload

// The documents of runners, as structs: all members that their Readers read, as a program would declare
// them.
type (
	// GoogleBenchFile is what Google Benchmark writes.
	GoogleBenchFile struct {
		Context    map[string]any `json:"context"`
		Benchmarks []struct {
			Name            string  `json:"name"`
			RunName         string  `json:"run_name"`
			RunType         string  `json:"run_type"`
			Repetitions     int     `json:"repetitions"`
			RepetitionIndex int     `json:"repetition_index"`
			Threads         int     `json:"threads"`
			Iterations      int64   `json:"iterations"`
			RealTime        float64 `json:"real_time"`
			CPUTime         float64 `json:"cpu_time"`
			TimeUnit        string  `json:"time_unit"`
			AggregateName   string  `json:"aggregate_name"`
			AggregateUnit   string  `json:"aggregate_unit"`
			Label           string  `json:"label"`
			ErrorOccurred   bool    `json:"error_occurred"`
			ErrorMessage    string  `json:"error_message"`
			Skipped         bool    `json:"skipped"`
			SkipMessage     string  `json:"skip_message"`
			BytesPerSecond  float64 `json:"bytes_per_second"`
			ItemsPerSecond  float64 `json:"items_per_second"`
		} `json:"benchmarks"`
	}

	// HyperfineFile is what hyperfine writes.
	HyperfineFile struct {
		Results []struct {
			Command    string            `json:"command"`
			Mean       float64           `json:"mean"`
			Stddev     float64           `json:"stddev"`
			Median     float64           `json:"median"`
			User       float64           `json:"user"`
			System     float64           `json:"system"`
			Min        float64           `json:"min"`
			Max        float64           `json:"max"`
			Times      []float64         `json:"times"`
			Memory     []float64         `json:"memory_usage_byte"`
			ExitCodes  []*int            `json:"exit_codes"`
			Parameters map[string]string `json:"parameters"`
		} `json:"results"`
	}

	// JMHFile is what JMH writes.
	JMHFile []struct {
		JMHVersion            string               `json:"jmhVersion"`
		Benchmark             string               `json:"benchmark"`
		Mode                  string               `json:"mode"`
		Threads               int                  `json:"threads"`
		Forks                 int                  `json:"forks"`
		JVM                   string               `json:"jvm"`
		JVMArgs               []string             `json:"jvmArgs"`
		JDKVersion            string               `json:"jdkVersion"`
		VMName                string               `json:"vmName"`
		VMVersion             string               `json:"vmVersion"`
		WarmupIterations      int                  `json:"warmupIterations"`
		WarmupTime            string               `json:"warmupTime"`
		WarmupBatchSize       int                  `json:"warmupBatchSize"`
		MeasurementIterations int                  `json:"measurementIterations"`
		MeasurementTime       string               `json:"measurementTime"`
		MeasurementBatchSize  int                  `json:"measurementBatchSize"`
		Params                map[string]string    `json:"params"`
		PrimaryMetric         JMHMetric            `json:"primaryMetric"`
		SecondaryMetrics      map[string]JMHMetric `json:"secondaryMetrics"`
	}

	// JMHMetric is a metric of JMH. Some of its numbers may be "NaN".
	JMHMetric struct {
		Score            any            `json:"score"`
		ScorePercentiles map[string]any `json:"scorePercentiles"`
		ScoreUnit        string         `json:"scoreUnit"`
		RawData          [][]float64    `json:"rawData"`
	}

	// GHBenchFile is the history that github-action-benchmark keeps.
	GHBenchFile struct {
		Entries map[string][]struct {
			Commit struct {
				ID        string `json:"id"`
				Timestamp string `json:"timestamp"`
				URL       string `json:"url"`
			} `json:"commit"`
			Date    int64  `json:"date"`
			Tool    string `json:"tool"`
			Benches []struct {
				Name  string  `json:"name"`
				Value float64 `json:"value"`
				Unit  string  `json:"unit"`
				Range string  `json:"range"`
				Extra string  `json:"extra"`
			} `json:"benches"`
		} `json:"entries"`
	}

	// PytestBenchFile is what pytest-benchmark writes.
	PytestBenchFile struct {
		MachineInfo map[string]any `json:"machine_info"`
		CommitInfo  map[string]any `json:"commit_info"`
		Datetime    string         `json:"datetime"`
		Version     string         `json:"version"`
		Benchmarks  []struct {
			Group     *string        `json:"group"`
			Name      string         `json:"name"`
			FullName  string         `json:"fullname"`
			Params    map[string]any `json:"params"`
			Param     *string        `json:"param"`
			ExtraInfo map[string]any `json:"extra_info"`
			Options   map[string]any `json:"options"`
			Stats     struct {
				Mean       float64   `json:"mean"`
				Median     float64   `json:"median"`
				Min        float64   `json:"min"`
				Max        float64   `json:"max"`
				Stddev     float64   `json:"stddev"`
				Data       []float64 `json:"data"`
				Iterations int       `json:"iterations"`
			} `json:"stats"`
		} `json:"benchmarks"`
	}

	// VitestFile is what vitest bench writes.
	VitestFile struct {
		Files []struct {
			Filepath string `json:"filepath"`
			Groups   []struct {
				FullName   string `json:"fullName"`
				Benchmarks []struct {
					Name        string    `json:"name"`
					Samples     []float64 `json:"samples"`
					Min         float64   `json:"min"`
					Max         float64   `json:"max"`
					Hz          float64   `json:"hz"`
					Mean        float64   `json:"mean"`
					SD          float64   `json:"sd"`
					P75         float64   `json:"p75"`
					P99         float64   `json:"p99"`
					P995        float64   `json:"p995"`
					P999        float64   `json:"p999"`
					SampleCount int       `json:"sampleCount"`
					Median      float64   `json:"median"`
				} `json:"benchmarks"`
			} `json:"groups"`
		} `json:"files"`
	}

	// DotNetBenchFile is what BenchmarkDotNet writes. Some of its numbers may be strings.
	DotNetBenchFile struct {
		Title      string
		Host       map[string]any `json:"HostEnvironmentInfo"`
		Benchmarks []struct {
			DisplayInfo        string
			Namespace          string
			Type               string
			Method             string
			MethodTitle        string
			Parameters         string
			FullName           string
			HardwareIntrinsics string
			Properties         map[string]string
			Statistics         struct {
				OriginalValues    []any
				Min               any
				Mean              any
				Median            any
				Max               any
				StandardDeviation any
				Percentiles       map[string]any
			}
			Memory struct {
				Gen0Collections            int
				Gen1Collections            int
				Gen2Collections            int
				TotalOperations            int
				BytesAllocatedPerOperation any
			}
			Measurements []struct {
				IterationMode  string
				IterationStage string
				Operations     int
				Nanoseconds    float64
			}
			Metrics []struct {
				Value      any
				Descriptor struct {
					Id                  string
					Unit                string
					TheGreaterTheBetter bool
				}
			}
		}
	}

	// ChartJSONFile is what Chromium's benchmarks wrote.
	ChartJSONFile struct {
		BenchmarkName string `json:"benchmark_name"`
		Label         string `json:"label"`
		Charts        map[string]map[string]struct {
			Type      string     `json:"type"`
			Units     string     `json:"units"`
			Direction string     `json:"improvement_direction"`
			Value     *float64   `json:"value"`
			Values    []*float64 `json:"values"`
			Reason    string     `json:"none_value_reason"`
			PageID    int        `json:"page_id"`
			Buckets   []struct {
				Low   float64 `json:"low"`
				High  float64 `json:"high"`
				Count float64 `json:"count"`
			} `json:"buckets"`
		} `json:"charts"`
	}

	// HistogramSetFile is a HistogramSet of Chromium: histograms and diagnostics.
	HistogramSetFile []struct {
		Name        string         `json:"name"`
		Unit        string         `json:"unit"`
		Samples     []*float64     `json:"sampleValues"`
		Running     []*float64     `json:"running"`
		NumNans     int            `json:"numNans"`
		Diagnostics map[string]any `json:"diagnostics"`
		Type        string         `json:"type"`
		GUID        string         `json:"guid"`
		Values      any            `json:"values"`
		Min         any            `json:"min"`
	}

	// CriterionFile is benchmark.json or sample.json of Criterion.rs.
	CriterionFile struct {
		GroupID       string         `json:"group_id"`
		FunctionID    string         `json:"function_id"`
		ValueStr      string         `json:"value_str"`
		Throughput    map[string]any `json:"throughput"`
		FullID        string         `json:"full_id"`
		DirectoryName string         `json:"directory_name"`
		SamplingMode  string         `json:"sampling_mode"`
		Iters         []float64      `json:"iters"`
		Times         []float64      `json:"times"`
	}
)
