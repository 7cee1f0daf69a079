import type { Project } from '../../api/person.ts';
import { Select } from '../../ui/field.tsx';

/** Selects what a role is granted on: the project or its organization. */
export function PlaceSelect({
  project,
  value,
  choose,
}: {
  project: Project;
  value: string;
  choose: (resourceId: string) => void;
}) {
  return (
    <Select
      label="Where"
      at="/resourceId"
      hint="A role applies to the record on which it is granted, and to everything below it."
      value={value}
      set={choose}
    >
      <option value={project.uid}>In the project {project.name}</option>
      <option value={project.organizationId}>In the whole organization {project.organizationId}</option>
    </Select>
  );
}
