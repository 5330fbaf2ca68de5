// Stops of the tour, as the studio's build lists them.
import { fetched } from './sources';

/** Of tour.json; only what the build has made is in it. */
export interface Stop {
  title: string;
  text: string;
  model: string; // path from the page
  examples?: string; // folder of the poses to choose from, with the true skin in each
  truth?: string; // what that is, in words
  clip?: string; // or a clip that plays, judged by the volume that the skin keeps
  joint?: string; // or a joint that bends, judged likewise
}

export async function stops(): Promise<Stop[]> {
  return (JSON.parse(new TextDecoder().decode(await fetched('tour.json'))) as { stops: Stop[] }).stops;
}
