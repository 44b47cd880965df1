module perfdata

go 1.26
