// Package nanolegacy
package nanolegacy
