'use strict';

// A program that is no chaincode: it prints its environment and ends.
process.stdout.write(`${JSON.stringify(process.env)}\n`);
