'use strict';

// Not a chaincode: prints its environment and exits.
process.stdout.write(`${JSON.stringify(process.env)}\n`);
