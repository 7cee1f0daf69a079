import { adopt } from './adopt.ts';
import { backup } from './backup.ts';
import type { Command } from './command.ts';
import { doctor } from './doctor.ts';
import { endPending } from './end-pending.ts';
import { migrate } from './migrate.ts';
import { move } from './move.ts';
import { restore } from './restore.ts';
import { verify } from './verify.ts';

/** All commands by name, except running the server. */
export const commands: Readonly<Record<string, Command>> = {
  migrate,
  move,
  backup,
  restore,
  'end-pending': endPending,
  adopt,
  verify,
  doctor,
};
