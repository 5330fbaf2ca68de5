// Names of bones as programs write them and as loaders leave them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { humanBones, namesIn, readBones, recognise } from 'supple-live';
import { rigs } from './hand.mjs';

/** As three.js's GLTFLoader writes names: without what its tracks give a meaning to. */
const mangled = (name) => name.replace(/\s/g, '_').replace(/[[\].:/]/g, '');

test('every set is told from the others, as written and as three.js writes it', () => {
  for (const [set, bones] of [
    ['Mixamo', 64],
    ['VRM', 73],
    ['Unreal', 60],
    ['Rigify', 63],
    ['OpenXR', 50],
    ['Supple figure', 19],
  ])
    for (const write of [(name) => name, mangled, (name) => name.toUpperCase()]) {
      const names = namesIn(set);
      const found = recognise([...names.values(), 'root', 'Armature', 'IK target'].map(write));
      assert.equal(found?.set, set);
      assert.equal(found.bones.size, bones, set);
      for (const [bone, name] of found.bones) assert.equal(name, write(names.get(bone)), bone);
    }
});

test('joints that a skeleton really has', () => {
  const bonesOf = (...names) => Object.fromEntries(recognise(names).bones);
  assert.deepEqual(bonesOf('mixamorig:Hips', 'mixamorig:Spine2', 'mixamorig:LeftForeArm', 'mixamorig:RightHandPinky1'), {
    hips: 'mixamorig:Hips',
    upperChest: 'mixamorig:Spine2',
    leftLowerArm: 'mixamorig:LeftForeArm',
    rightLittleProximal: 'mixamorig:RightHandPinky1',
  });
  for (const prefix of ['mixamorig', 'mixamorig9:', 'mixamorig9', 'Someone:', 'Armature|mixamorig:'])
    assert.equal(bonesOf(...['Hips', 'LeftUpLeg', 'LeftLeg'].map((n) => prefix + n)).leftUpperLeg, `${prefix}LeftUpLeg`);
  // The spine of Rigify begins with the hips; twisting halves of a limb are not its bone.
  const rigify = ['DEF-spine', 'DEF-spine.003', 'DEF-upper_arm.L', 'DEF-upper_arm.L.001', 'DEF-f_index.02.R', 'DEF-palm.01.R'];
  assert.deepEqual(bonesOf(...rigify), {
    hips: 'DEF-spine',
    upperChest: 'DEF-spine.003',
    leftUpperArm: 'DEF-upper_arm.L',
    rightIndexMetacarpal: 'DEF-palm.01.R',
    rightIndexIntermediate: 'DEF-f_index.02.R',
  });
  // Unreal's mannequin has three bones of the spine, or five.
  const body = ['pelvis', 'spine_01', 'spine_02', 'spine_03', 'neck_01', 'head', 'clavicle_l', 'upperarm_l', 'upperarm_twist_01_l'];
  assert.equal(bonesOf(...body).chest, 'spine_02');
  assert.equal(bonesOf(...body).upperChest, 'spine_03');
  assert.equal(bonesOf(...body, 'spine_04', 'spine_05').chest, 'spine_03');
  assert.equal(bonesOf(...body, 'spine_04', 'spine_05').upperChest, 'spine_05');
  assert.equal(bonesOf('Wrist_L', 'Little_Tip_L', 'Thumb_Metacarpal_L').leftLittleTip, 'Little_Tip_L');
});

test('hands whose names tell no side are of the side that is said', () => {
  for (const side of ['left', 'right']) {
    const { set, bones } = recognise(rigs[side].keys(), side);
    assert.equal(set, 'WebXR');
    assert.equal(bones.size, 26); // 25 joints of WebXR without the palm, and the forearm
    assert.equal(bones.get(`${side}LittleProximal`), 'pinky-finger-phalanx-proximal');
    assert.equal(bones.get(`${side}ThumbProximal`), 'thumb-phalanx-proximal');
  }
  const landmarks = recognise(['WRIST', 'THUMB_CMC', 'THUMB_IP', 'INDEX_FINGER_MCP', 'PINKY_TIP', 'PINKY_FINGER_TIP']);
  assert.equal(landmarks.set, 'MediaPipe');
  assert.equal(landmarks.bones.get('rightThumbMetacarpal'), 'THUMB_CMC');
});

test('names of nothing that is known, and of too little', () => {
  assert.equal(recognise([]), undefined);
  assert.equal(recognise(['bone', 'bone.001', 'tail', 'b_LeftLeg01_015']), undefined);
  assert.equal(recognise(['head', 'neck']), undefined);
});

test('a VRM file says itself which node is which bone', () => {
  const nodes = ['J_Bip_C_Hips', 'J_Bip_L_UpperArm', 'J_Bip_L_Thumb1', 'J_Bip_L_Thumb2'].map((name) => ({ name }));
  const humanBones = { hips: { node: 0 }, leftUpperArm: { node: 1 }, leftThumbMetacarpal: { node: 2 }, tail: { node: 3 } };
  const expected = { hips: 'J_Bip_C_Hips', leftUpperArm: 'J_Bip_L_UpperArm', leftThumbMetacarpal: 'J_Bip_L_Thumb1' };
  const newer = readBones({ nodes, extensions: { VRMC_vrm: { humanoid: { humanBones } } } });
  assert.deepEqual(Object.fromEntries(newer.bones), expected);
  const list = [['hips', 0], ['leftUpperArm', 1], ['leftThumbProximal', 2], ['leftThumbIntermediate', 3]];
  const older = readBones({ nodes, extensions: { VRM: { humanoid: { humanBones: list.map(([bone, node]) => ({ bone, node })) } } } });
  assert.deepEqual(Object.fromEntries(older.bones), { ...expected, leftThumbProximal: 'J_Bip_L_Thumb2' });
  assert.equal(readBones({ nodes: ['Hips', 'Spine', 'Head'].map((name) => ({ name })) }).set, 'Mixamo');
});

test('bones are listed once each', () => assert.equal(new Set(humanBones).size, humanBones.length));
