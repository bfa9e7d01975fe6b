/** Register an NF type, or change one that is registered. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate, useSearch } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { asProblem, plainProblem } from "@/api/problem";
import { nfTypeQuery, nfTypesQuery } from "@/api/queries";
import type { NfType } from "@/api/types";
import { TypeForm } from "@/nf-types/type-form";
import { PageTitle } from "@/ui/page-title";
import { ProblemNote } from "@/ui/problem-note";

export function RegisterNfTypePage(): ReactNode {
  const { runs = "" } = useSearch({ from: "/shell/register-nf-type" });
  const builtIn = useBuiltIn();
  const done = useDone();
  return (
    <main className="page fixed" id="page" tabIndex={-1}>
      <PageTitle path={<Link to="/nf-types">NF types</Link>} name="Register NF type" />
      {builtIn.problem && <ProblemNote problem={builtIn.problem} />}
      {builtIn.types ? (
        <TypeForm
          builtIn={builtIn.types}
          stored={null}
          implementation={runs}
          onDone={done}
          onReread={() => undefined}
        />
      ) : (
        !builtIn.problem && <p className="empty late">Loading NF types</p>
      )}
    </main>
  );
}

const editRoute = getRouteApi("/shell/nf-types/$name/edit");

export function EditNfTypePage(): ReactNode {
  const { name } = editRoute.useParams();
  const builtIn = useBuiltIn();
  const [reads, setReads] = useState(0);
  // As it was when the form was opened: the form is not changed under the hands of whoever fills it.
  const asked = useQuery({ ...nfTypeQuery(name), refetchOnMount: "always", staleTime: Number.POSITIVE_INFINITY });
  const client = useQueryClient();
  const done = useDone();
  const problem = asked.error ? asProblem(asked.error) : builtIn.problem;
  const fixed = asked.data && !asked.data.type.implementation;
  return (
    <main className="page fixed" id="page" tabIndex={-1}>
      <PageTitle
        path={
          <>
            <Link to="/nf-types">NF types</Link> /{" "}
            <Link to="/nf-types/$name" params={{ name }}>
              {name}
            </Link>
          </>
        }
        name="Edit"
      />
      {problem && <ProblemNote problem={problem} />}
      {!problem && (!asked.data || asked.isFetching || !builtIn.types) && <p className="empty late">Loading {name}</p>}
      {fixed && <ProblemNote problem={builtInProblem(name)} />}
      {asked.data && !asked.isFetching && !fixed && builtIn.types && (
        <TypeForm
          key={reads}
          builtIn={builtIn.types}
          stored={asked.data}
          implementation=""
          onDone={done}
          onReread={() => void client.refetchQueries(nfTypeQuery(name)).then(() => setReads(reads + 1))}
        />
      )}
    </main>
  );
}

function builtInProblem(name: string) {
  return plainProblem(
    "nf-type-built-in",
    `${name} is built in`,
    "It is part of the program and cannot be changed.",
    0,
    [{ label: "Register a type of your own that runs it", command: null }],
  );
}

function useBuiltIn() {
  const { data, error } = useQuery(nfTypesQuery);
  return {
    types: data?.items.filter(({ implementation }) => !implementation),
    problem: error ? asProblem(error) : null,
  };
}

function useDone(): (type: NfType) => void {
  const navigate = useNavigate();
  return ({ name }) => void navigate({ to: "/nf-types/$name", params: { name } });
}
