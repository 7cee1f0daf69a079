'use strict';

const { AssetTransfer } = require('./lib/asset-transfer.js');
const { Trials } = require('./lib/trials.js');

// The first one is the default: its functions need no contract name before theirs.
module.exports.contracts = [AssetTransfer, Trials];
