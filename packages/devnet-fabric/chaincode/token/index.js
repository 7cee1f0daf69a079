'use strict';

const { Token } = require('./lib/token.js');

module.exports.contracts = [Token];
