package job_test

import (
	"fmt"
	"os"

	"perfdata/keyval/job"
)

// The results folder of a job lists its tests, and has their measurements.
func ExampleReader() {
	root, err := os.OpenRoot("../../testdata/keyval") // unlike os.DirFS, it does not lead out of the folder
	if err != nil {
		fmt.Println(err)
		return
	}
	defer root.Close()
	isJob, err := job.Format().DetectDir(root.FS(), "job")
	fmt.Println("is a job:", isJob, err)
	r := job.NewReader(root.FS(), "job")
	r.Name = "testdata/keyval" // for errors
	h, err := r.Header()
	if err != nil {
		fmt.Println(err)
		return
	}
	platform, _ := h.HostAttrs.Get("platform")
	fmt.Println("host", h.Host, "platform", platform)
	for test, err := range r.Tests() {
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(test.Name, test.Status, test.Reason, test.Finished.Sub(test.Started))
	}
	for rec, err := range r.Records() {
		if err != nil {
			fmt.Println(err)
			continue
		}
		if status, _ := rec.Attrs.Get("test-status"); status == "WARN" {
			params := rec.Params.Map()
			fmt.Println(params["host"], params["test"], params["key"], rec.Value)
		}
	}
	// Output:
	// is a job: true <nil>
	// host lumpy-7 platform lumpy
	// SERVER_JOB GOOD  15m0s
	// provision GOOD completed successfully 20s
	// CLIENT_JOB.0 GOOD  9m40s
	// graphics_WebGLAquarium GOOD completed successfully 3m20s
	// platform_BootPerf WARN temperature above 60 C 3m0s
	// network_Throughput FAIL no carrier on eth0 1m20s
	// lumpy-7 platform_BootPerf seconds_kernel_to_login 6.125
	// lumpy-7 platform_BootPerf seconds_kernel_to_login_dev 0.25
	// lumpy-7 platform_BootPerf seconds_power_on_to_login 7.75
	// testdata/keyval/job/network_Throughput/results/keyval:2:16: "none" is not a number
}
