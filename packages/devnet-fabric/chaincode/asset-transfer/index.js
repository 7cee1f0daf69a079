'use strict';

const { AssetTransfer } = require('./lib/asset-transfer.js');
const { Trials } = require('./lib/trials.js');

// The first contract is the default: its functions are called without a contract name.
module.exports.contracts = [AssetTransfer, Trials];
