// @ts-check
import { describeAdapter } from '@ledger-ops/adapter-kit/conformance';
import plugin from '../src/plugin.js';
import { openLedgerHarness } from './harness.js';

describeAdapter({ name: 'Bitcoin', definition: plugin, open: openLedgerHarness });
