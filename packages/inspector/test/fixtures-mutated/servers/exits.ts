// Ends before it serves anything, as a server does that lacks a setting.
import process from 'node:process';

process.stderr.write('Reading configuration\nDATABASE_URL missing\n');
process.exit(3);
