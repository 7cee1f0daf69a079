#!/usr/bin/env node
import { runServerProcess } from './commands/server-process.ts';

runServerProcess();
