// Setup of every test file: checks responses in tests of the server's package against the OpenAPI document.
import { startWitness } from '../apps/server/test/stage/witness-of-answers.ts';

if (process.cwd().endsWith('/apps/server')) startWitness();
