// Writes the tour of a page: of the stops in tour.json those whose models are there.
//   node list_tour.mjs PAGE
import fs from 'node:fs';
import path from 'node:path';

const page = process.argv[2];
const { stops } = JSON.parse(fs.readFileSync(new URL('tour.json', import.meta.url), 'utf8'));
const made = stops.filter((stop) => fs.existsSync(path.join(page, stop.model)));
fs.writeFileSync(path.join(page, 'tour.json'), JSON.stringify({ stops: made }, null, 2) + '\n');
