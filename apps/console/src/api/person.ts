import { chosenProject } from '../session/project.ts';
import { all, call } from './client.ts';
import { openAhead } from './stream.ts';
import type { Schemas } from './types.ts';

export type Project = Schemas['AdminProject'];

/** Who is signed in, and where they may work. */
export type Person = Schemas['AdminMe'] & { readonly projects: readonly Project[] };

export async function readPerson(signal?: AbortSignal): Promise<Person> {
  const options = { isGlobal: true, ...(signal === undefined ? {} : { signal }) };
  const [me, projects] = await Promise.all([
    call<Schemas['AdminMe']>('GET', '/v1/admin/me', options),
    all<Project>('/v1/admin/projects', {}, options),
  ]);
  return { ...me, projects: projects.sort((a, b) => a.name.localeCompare(b.name)) };
}

let early: Promise<Person> | undefined;

/**
 * Asks while the pages are still being loaded: none of them asks for anything before it is known in which project, and
 * that project's stream is open.
 */
export function askPerson(): void {
  early = readPerson();
  const project = chosenProject();
  early.then(
    ({ projects }) => {
      if (project !== undefined && projects.some(({ uid }) => uid === project)) openAhead(project);
    },
    // Told to who takes it.
    () => {},
  );
}

/** The answer to that, once; undefined: nothing was asked. */
export function takePerson(): Promise<Person> | undefined {
  const taken = early;
  early = undefined;
  return taken;
}
