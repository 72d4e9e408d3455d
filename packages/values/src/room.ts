export { type AddedValues, noRoomError, type Room, roomFor, type Size } from '../../sdk/src/store/room.ts';
