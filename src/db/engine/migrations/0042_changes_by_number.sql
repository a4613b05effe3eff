-- Changes are found by their numbers, which are in the order of time: an upload writes one index less.
DROP INDEX change_age;
