import { filled } from '../lib/filled.ts';
import { chosenProject } from '../session/project.ts';
import { all, call } from './client.ts';
import { openAhead } from './stream.ts';
import type { Schemas } from './types.ts';

export type Project = Schemas['AdminProject'];

/** The signed-in user and the projects that they can use. */
export type Person = Schemas['AdminMe'] & { readonly projects: readonly Project[] };

export async function readPerson(signal?: AbortSignal): Promise<Person> {
  const options = { isGlobal: true, ...filled({ signal }) };
  const [me, projects] = await Promise.all([
    call<Schemas['AdminMe']>('GET', '/v1/admin/me', options),
    all<Project>('/v1/admin/projects', {}, options),
  ]);
  return { ...me, projects: projects.sort((a, b) => a.name.localeCompare(b.name)) };
}

let early: Promise<Person> | undefined;

/**
 * Requests the user's data while the code of the pages is still loading. Page requests wait until the project is known and its event
 * stream is open.
 */
export function askPerson(): void {
  early = readPerson();
  const project = chosenProject();
  early.then(
    ({ projects }) => {
      if (project !== undefined && projects.some(({ uid }) => uid === project)) openAhead(project);
    },
    // `takePerson` returns the promise, so its caller handles the error.
    () => {},
  );
}

/** Returns the early response. It is returned only once; undefined if there was no early request. */
export function takePerson(): Promise<Person> | undefined {
  const taken = early;
  early = undefined;
  return taken;
}
