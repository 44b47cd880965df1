// Package object reads and writes stored objects: the files in which Perun keeps profiles, each
// named by its content.
//
// A stored object is a profile without its origin, after a header with the profile's type and its
// length in characters. Both are compressed with zlib:
//
//	object = "profile" " " type " " length "\x00" profile
//	type   = "time" | "memory" | "mixed"
//
// The object's name is the SHA-1 of the uncompressed bytes, header included, in hexadecimal. A
// folder of objects, such as .perun/objects, has the object c0defa40... in the file c0/defa40...
//
// # Reading
//
// A [Reader] reads the profile, and checks what the header says about it:
//
//	obj, err := object.Open(os.DirFS(".perun/objects"), sum, format.Limits{})
//	...
//	defer obj.Close()
//	r := perun.NewReader(obj)
//
// Package perfdata opens stored objects as it opens other compressed files.
//
// # Writing
//
// [Store] writes an object into a folder of objects; [Write] writes it anywhere. They leave out the
// profile's origin, as Perun does before it stores a profile, and check only that the profile is a
// JSON object: read its header, and validate it, with package perun before.
//
// # Departures from the reference
//
// The source of the rules is Perun's module logic.store. The number continues the list of package
// perun:
//
//	P15 The checksum of an object, the end of its data, and that its type is the type of its
//	    profile are checked. The reference checks the length, and that the type is one that it
//	    knows.
package object
