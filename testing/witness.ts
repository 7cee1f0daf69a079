// Set-up of every test file: what tests of the server's package hear from servers is held against the document.
import { startWitness } from '../apps/server/test/stage/witness-of-answers.ts';

if (process.cwd().endsWith('/apps/server')) startWitness();
